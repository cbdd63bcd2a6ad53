import { useEffect, useState } from "react";
import { useDebounce } from "@acme/ui-kit";
import { ApiClient } from "@/api/client";

const client = new ApiClient("/shipping");

/** Suggestions for an address while it is being typed. Answers that come too late are thrown away. */
export function useAddressSearch(text: string): string[] {
  const query = useDebounce(text, 250);
  const [suggestions, setSuggestions] = useState<string[]>([]);
  useEffect(() => {
    if (query.length < 3) return setSuggestions([]);
    const controller = new AbortController();
    client
      .request<string[]>(`/v1/addresses?q=${encodeURIComponent(query)}`, { signal: controller.signal })
      .then(setSuggestions)
      .catch((error: Error) => {
        if (error.name !== "AbortError") setSuggestions([]);
      });
    return () => controller.abort();
  }, [query]);
  return suggestions;
}
