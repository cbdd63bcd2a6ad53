package com.acme.risk;

import java.util.List;

/**
 * How likely a transaction is to be fraud, and why.
 *
 * @param probability from 0 (surely honest) to 1 (surely fraud)
 * @param reasons the features that raised the probability most, strongest first
 */
public record RiskScore(double probability, List<String> reasons) {
    public RiskScore {
        if (probability < 0 || probability > 1) {
            throw new IllegalArgumentException("not a probability: " + probability);
        }
        reasons = List.copyOf(reasons);
    }

    /** The band that people talk about. */
    public Band band() {
        if (probability < 0.2) {
            return Band.LOW;
        }
        return probability < 0.7 ? Band.MEDIUM : Band.HIGH;
    }

    public enum Band {
        LOW,
        MEDIUM,
        HIGH
    }
}
