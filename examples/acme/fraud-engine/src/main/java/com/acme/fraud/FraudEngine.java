package com.acme.fraud;

import com.acme.fraud.rules.AmountSpikeRule;
import com.acme.fraud.rules.CountryMismatchRule;
import com.acme.fraud.rules.RuleResult;
import com.acme.fraud.rules.ScoringRule;
import com.acme.fraud.rules.VelocityCheck;
import com.acme.risk.FeatureVector;
import com.acme.risk.RiskModel;
import com.acme.risk.RiskScore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Combines the rules and the model into one decision. */
public final class FraudEngine {
    private static final int REVIEW_POINTS = 50;
    private static final int REJECT_POINTS = 100;

    private final List<ScoringRule> rules;
    private final RiskModel model;
    private final TransactionHistory history;

    public FraudEngine(List<ScoringRule> rules, RiskModel model, TransactionHistory history) {
        this.rules = List.copyOf(rules);
        this.model = model;
        this.history = history;
    }

    /** The engine as it runs in production. */
    public static FraudEngine standard(RiskModel model) {
        TransactionHistory history = new TransactionHistory(Duration.ofDays(30));
        List<ScoringRule> rules = List.of(
                new VelocityCheck(history, 5, Duration.ofMinutes(10)),
                new CountryMismatchRule(),
                new AmountSpikeRule(history));
        return new FraudEngine(rules, model, history);
    }

    /** Judges a transaction and remembers it, whatever the outcome. */
    public Decision decide(Transaction transaction) {
        List<String> reasons = new ArrayList<>();
        FeatureVector.Builder features = FeatureVector.builder().set("amount", transaction.amountMinor() / 100.0);
        int points = 0;
        for (ScoringRule rule : rules) {
            RuleResult result = rule.evaluate(transaction);
            points += result.points();
            features.set(rule.name(), result.points() > 0);
            if (result.points() > 0) {
                reasons.add(result.reason());
            }
        }
        RiskScore score = model.score(features.build());
        history.record(transaction);
        return new Decision(outcome(points, score), reasons);
    }

    /** Points decide alone when there are many; otherwise the model may ask for a review. */
    private static Decision.Outcome outcome(int points, RiskScore score) {
        if (points >= REJECT_POINTS) {
            return Decision.Outcome.REJECT;
        }
        boolean suspicious = points >= REVIEW_POINTS || score.band() == RiskScore.Band.HIGH;
        return suspicious ? Decision.Outcome.REVIEW : Decision.Outcome.ACCEPT;
    }
}
