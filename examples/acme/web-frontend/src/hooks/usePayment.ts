import { useRef, useState } from "react";
import { useToast } from "@acme/ui-kit";
import { createPayment, type Payment, type PaymentRequest } from "@/api/payments";
import { tokenizeCard, type CardDetails } from "@/api/vault";

type State = "editing" | "paying" | "paid" | "declined";

/** The state of one attempt to pay a basket. */
export function usePayment(orderId: string) {
  const [state, setState] = useState<State>("editing");
  const idempotencyKey = useRef(crypto.randomUUID());
  const toast = useToast();

  async function pay(card: CardDetails, price: Pick<PaymentRequest, "amount" | "currency">): Promise<Payment | null> {
    setState("paying");
    try {
      const token = await tokenizeCard(card);
      const payment = await createPayment({ ...price, card_token: token, order_id: orderId }, idempotencyKey.current);
      if (payment.status === "declined") {
        // A declined card is an answer: the next try, perhaps with another card, is a new payment (ADR-042).
        idempotencyKey.current = crypto.randomUUID();
      }
      setState(payment.status === "declined" ? "declined" : "paid");
      return payment;
    } catch (error) {
      toast(error instanceof Error ? error.message : "Something went wrong.");
      setState("editing");
      return null;
    }
  }

  return { state, pay };
}
