package com.acme.fraud.rules;

import com.acme.fraud.Transaction;
import com.acme.fraud.TransactionHistory;
import java.time.Duration;
import java.util.List;

/** Too many payments by one customer in a short time, as when somebody tries out stolen cards. */
public final class VelocityCheck implements ScoringRule {
    private final TransactionHistory history;
    private final int limit;
    private final Duration window;

    public VelocityCheck(TransactionHistory history, int limit, Duration window) {
        this.history = history;
        this.limit = limit;
        this.window = window;
    }

    @Override
    public String name() {
        return "velocity";
    }

    @Override
    public RuleResult evaluate(Transaction transaction) {
        List<Transaction> recent = history.recent(transaction.customerId(), transaction.at().minus(window));
        if (recent.size() < limit) {
            return RuleResult.NOTHING;
        }
        long cards = recent.stream().map(Transaction::cardToken).distinct().count();
        int points = cards > 2 ? 100 : 50;
        return new RuleResult(points, recent.size() + " payments with " + cards + " cards in " + window);
    }
}
