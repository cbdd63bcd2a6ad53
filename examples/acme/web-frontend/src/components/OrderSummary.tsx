import { formatDate, formatMoney } from "@acme/ui-kit";

export interface Basket {
  orderId: string;
  currency: string;
  totalMinor: number;
  deliveryOn: string;
  items: { sku: string; title: string; quantity: number; minor: number }[];
}

/** What is in the basket, what it costs and when it comes. */
export function OrderSummary({ basket }: { basket: Basket }) {
  return (
    <section aria-label="Your order">
      <ul>
        {basket.items.map((item) => (
          <li key={item.sku}>
            {item.quantity} × {item.title}: {formatMoney(item.minor * item.quantity, basket.currency)}
          </li>
        ))}
      </ul>
      <p>Delivery on {formatDate(basket.deliveryOn)}</p>
    </section>
  );
}
