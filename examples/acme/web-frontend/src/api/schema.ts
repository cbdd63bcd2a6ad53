// Generated from the OpenAPI document of payments-api. Do not edit.
export interface components {
  schemas: {
    PaymentRequest: { card_token: string; amount: string; currency: string; order_id: string; country?: string };
    Payment: { id: string; status: "authorised" | "captured" | "declined" | "refunded" | "disputed" };
    Refund: { id: string; payment_id: string; minor: number; currency: string };
  };
}
export interface paths {
  "/v1/payments": { post: { body: components["schemas"]["PaymentRequest"]; answer: components["schemas"]["Payment"] } };
  "/v1/payments/{id}/refunds": { post: { answer: components["schemas"]["Refund"] } };
}
