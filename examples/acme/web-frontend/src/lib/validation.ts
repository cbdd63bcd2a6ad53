/** Checks of what is typed into the checkout form. An empty answer means that the value is fine. */

/** Luhn's check: finds one wrong digit and most swapped neighbours. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/\s/g, "");
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  [...digits].reverse().forEach((character, index) => {
    const value = Number(character) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  });
  return sum % 10 === 0;
}

/** Reads `MM/YY` and says whether the card is still valid at the end of this month. */
export function isExpired(expiry: string, today = new Date()): boolean {
  const match = /^(\d{2})\/(\d{2})$/.exec(expiry);
  if (!match) return true;
  const firstDayAfter = new Date(2000 + Number(match[2]), Number(match[1]), 1);
  return firstDayAfter <= today;
}

export function cardErrors(card: { number: string; expiry: string; cvc: string }): Record<string, string> {
  const errors: Record<string, string> = {};
  if (!isCardNumber(card.number)) errors.number = "This is not a card number.";
  if (isExpired(card.expiry)) errors.expiry = "The card has expired.";
  if (!/^\d{3,4}$/.test(card.cvc)) errors.cvc = "Three or four digits, on the back of the card.";
  return errors;
}
