package com.acme.risk;

/** Anything that can judge a transaction by its features. Implementations are safe for use by many threads. */
public interface RiskModel {
    /** Scores one transaction. Never blocks. */
    RiskScore score(FeatureVector features);

    /** The version of the weights, for the audit trail. */
    String version();
}
