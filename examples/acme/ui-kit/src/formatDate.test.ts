import { describe, expect, it } from "vitest";
import { formatDate, formatRelative } from "./formatDate";

describe("formatDate", () => {
  it("follows the locale", () => {
    expect(formatDate("2026-03-05", "en-US")).toBe("March 5, 2026");
  });
});

describe("formatRelative", () => {
  it("uses the largest unit that fits", () => {
    const now = new Date("2026-03-05T12:00:00Z");
    expect(formatRelative(new Date("2026-03-05T09:00:00Z"), now)).toBe("3 hours ago");
    expect(formatRelative(new Date("2026-03-07T12:00:00Z"), now)).toBe("in 2 days");
  });
});
