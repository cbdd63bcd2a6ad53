import { useState, type FormEvent } from "react";
import { Button, Modal, TextField, formatMoney } from "@acme/ui-kit";
import { usePayment } from "@/hooks/usePayment";
import { cardErrors } from "@/lib/validation";
import { OrderSummary, type Basket } from "./OrderSummary";

const EMPTY = { number: "", expiry: "", cvc: "" };

/** The last page before the money moves: what is bought, the card, and one button. */
export function CheckoutForm({ basket, onPaid }: { basket: Basket; onPaid: (paymentId: string) => void }) {
  const [card, setCard] = useState(EMPTY);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [cancelling, setCancelling] = useState(false);
  const { state, pay } = usePayment(basket.orderId);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const found = cardErrors(card);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const amount = (basket.totalMinor / 100).toFixed(2);
    const payment = await pay(card, { amount, currency: basket.currency });
    if (payment && payment.status !== "declined") onPaid(payment.id);
  }

  const field = (name: keyof typeof EMPTY, label: string) => (
    <TextField
      label={label}
      value={card[name]}
      error={errors[name]}
      onChange={(event) => setCard({ ...card, [name]: event.target.value })}
    />
  );

  return (
    <form onSubmit={submit} noValidate>
      <OrderSummary basket={basket} />
      {field("number", "Card number")}
      {field("expiry", "Expiry (MM/YY)")}
      {field("cvc", "Security code")}
      {state === "declined" ? <p role="alert">Your bank declined the card. Please try another one.</p> : null}
      <Button type="submit" busy={state === "paying"}>
        Pay {formatMoney(basket.totalMinor, basket.currency)}
      </Button>
      <Button variant="secondary" onClick={() => setCancelling(true)}>
        Cancel
      </Button>
      <Modal title="Leave the checkout?" open={cancelling} onClose={() => setCancelling(false)}>
        <p>Your basket is kept for a week.</p>
      </Modal>
    </form>
  );
}
