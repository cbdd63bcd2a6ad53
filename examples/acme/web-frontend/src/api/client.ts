import { currentAccessToken, refreshAccessToken } from "./tokens";

/** A problem document of one of our services, as an error. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(detail);
    this.name = "ApiError";
  }
}

interface RequestOptions {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Makes requests to one service on behalf of the person who is logged in. */
export class ApiClient {
  constructor(private readonly baseUrl: string) {}

  /**
   * Sends a request and reads the JSON of the answer. After a 401 the access token is renewed and the
   * request sent once more; a second 401 is an error like any other.
   */
  async request<T>(path: string, options: RequestOptions = {}): Promise<T> {
    let response = await this.send(path, options, currentAccessToken());
    if (response.status === 401) {
      response = await this.send(path, options, await refreshAccessToken());
    }
    if (!response.ok) throw await toApiError(response);
    return (await response.json()) as T;
  }

  private send(path: string, options: RequestOptions, token: string | null): Promise<Response> {
    return fetch(this.baseUrl + path, {
      method: options.method ?? "GET",
      signal: options.signal,
      headers: {
        "Content-Type": "application/json",
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...options.headers,
      },
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
    });
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as { detail?: string };
  return new ApiError(response.status, problem.detail ?? response.statusText);
}
