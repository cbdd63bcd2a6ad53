package com.acme.fraud.rules;

import com.acme.fraud.Transaction;
import com.acme.fraud.TransactionHistory;
import java.time.Duration;
import java.util.List;

/** A payment far above what this customer usually spends. */
public final class AmountSpikeRule implements ScoringRule {
    private static final Duration LOOK_BACK = Duration.ofDays(30);
    private static final int MIN_HISTORY = 3;
    private static final double FACTOR = 5.0;

    private final TransactionHistory history;

    public AmountSpikeRule(TransactionHistory history) {
        this.history = history;
    }

    @Override
    public String name() {
        return "amount_spike";
    }

    @Override
    public RuleResult evaluate(Transaction transaction) {
        List<Transaction> past = history.recent(transaction.customerId(), transaction.at().minus(LOOK_BACK));
        if (past.size() < MIN_HISTORY) {
            return RuleResult.NOTHING;
        }
        double average = past.stream().mapToLong(Transaction::amountMinor).average().orElseThrow();
        if (transaction.amountMinor() < FACTOR * average) {
            return RuleResult.NOTHING;
        }
        return new RuleResult(40, "amount is more than " + (int) FACTOR + " times the usual");
    }
}
