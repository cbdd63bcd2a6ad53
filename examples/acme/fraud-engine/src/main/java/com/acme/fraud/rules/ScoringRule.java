package com.acme.fraud.rules;

import com.acme.fraud.Transaction;

/** One thing that makes a transaction suspicious. */
public interface ScoringRule {
    /** A short name, also the name of the model's feature. */
    String name();

    /** Judges the transaction; zero points when there is nothing to say. */
    RuleResult evaluate(Transaction transaction);
}
