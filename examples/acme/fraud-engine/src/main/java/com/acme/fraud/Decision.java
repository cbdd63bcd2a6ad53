package com.acme.fraud;

import java.util.List;

/**
 * What happens to a transaction.
 *
 * @param reasons for the people who review it and for the answer to a complaint
 */
public record Decision(Outcome outcome, List<String> reasons) {
    public enum Outcome {
        ACCEPT,
        REVIEW,
        REJECT
    }
}
