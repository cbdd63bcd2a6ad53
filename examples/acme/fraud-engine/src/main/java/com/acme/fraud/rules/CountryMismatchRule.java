package com.acme.fraud.rules;

import com.acme.fraud.Transaction;

/** Goods go to another country than the one the card comes from. Common among tourists, so only a hint. */
public final class CountryMismatchRule implements ScoringRule {
    private static final int POINTS = 30;

    @Override
    public String name() {
        return "country_mismatch";
    }

    @Override
    public RuleResult evaluate(Transaction transaction) {
        String target = transaction.shippingCountry();
        if (target.isEmpty() || target.equals(transaction.cardCountry())) {
            return RuleResult.NOTHING;
        }
        return new RuleResult(POINTS, "card from " + transaction.cardCountry() + ", goods to " + target);
    }
}
