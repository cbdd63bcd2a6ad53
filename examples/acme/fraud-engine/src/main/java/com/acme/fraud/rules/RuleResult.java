package com.acme.fraud.rules;

/** Points (100 refuse a transaction) and the reason for a person to read. */
public record RuleResult(int points, String reason) {
    public static final RuleResult NOTHING = new RuleResult(0, "");
}
