import { describe, expect, it } from "vitest";
import { cardErrors, isCardNumber, isExpired } from "./validation";

describe("isCardNumber", () => {
  it("finds a wrong digit", () => {
    expect(isCardNumber("4242 4242 4242 4242")).toBe(true);
    expect(isCardNumber("4242 4242 4242 4241")).toBe(false);
  });
});

describe("isExpired", () => {
  it("lets a card work until the end of its month", () => {
    expect(isExpired("03/26", new Date(2026, 2, 31))).toBe(false);
    expect(isExpired("03/26", new Date(2026, 3, 1))).toBe(true);
  });
});

it("names every field that is wrong", () => {
  expect(Object.keys(cardErrors({ number: "1", expiry: "x", cvc: "" }))).toEqual(["number", "expiry", "cvc"]);
});
