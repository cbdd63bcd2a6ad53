/** The access token lives in memory only; the refresh token is a cookie that scripts cannot read. */
let accessToken: string | null = null;
let renewal: Promise<string> | null = null;

export class SessionExpiredError extends Error {
  constructor() {
    super("Please log in again.");
    this.name = "SessionExpiredError";
  }
}

export function setAccessToken(token: string | null): void {
  accessToken = token;
}

export function currentAccessToken(): string | null {
  return accessToken;
}

/**
 * Asks auth-service for a new access token. Requests that fail at the same time share one renewal:
 * a refresh token works once, and a second use would end the session (ADR-0004 of auth-service).
 */
export function refreshAccessToken(): Promise<string> {
  renewal ??= requestNewToken().finally(() => {
    renewal = null;
  });
  return renewal;
}

async function requestNewToken(): Promise<string> {
  const response = await fetch("/auth/refresh", { method: "POST", credentials: "include" });
  if (!response.ok) {
    setAccessToken(null);
    throw new SessionExpiredError();
  }
  const { access_token: token } = (await response.json()) as { access_token: string };
  setAccessToken(token);
  return token;
}
