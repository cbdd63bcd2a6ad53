package com.acme.fraud;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.acme.risk.FeatureVector;
import com.acme.risk.RiskModel;
import com.acme.risk.RiskScore;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FraudEngineTest {
    private static final Instant NOON = Instant.parse("2026-03-05T12:00:00Z");

    @Test
    void manyCardsInAFewMinutesAreRefused() {
        FraudEngine engine = FraudEngine.standard(model(0.1));
        for (int card = 0; card < 5; card++) {
            engine.decide(payment("card_" + card, NOON.plusSeconds(card)));
        }
        assertEquals(Decision.Outcome.REJECT, engine.decide(payment("card_9", NOON.plusSeconds(9))).outcome());
    }

    @Test
    void theModelAloneOnlyAsksForAReview() {
        assertEquals(Decision.Outcome.REVIEW, FraudEngine.standard(model(0.99)).decide(payment("c", NOON)).outcome());
    }

    private static Transaction payment(String card, Instant at) {
        return new Transaction("tx", "cus_1", card, 1000, "EUR", "DE", "DE", at);
    }

    private static RiskModel model(double probability) {
        return new RiskModel() {
            @Override
            public RiskScore score(FeatureVector features) {
                return new RiskScore(probability, List.of());
            }

            @Override
            public String version() {
                return "test";
            }
        };
    }
}
