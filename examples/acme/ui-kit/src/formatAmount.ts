/**
 * Shows an amount given in minor units, as our APIs send it. The number of digits comes from the
 * currency: 1999 EUR is €19.99, 500 JPY is ¥500.
 */
export function formatAmount(minor: number, currency: string, locale = "en-GB"): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minor / 10 ** digits);
}
