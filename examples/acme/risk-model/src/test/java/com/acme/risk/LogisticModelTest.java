package com.acme.risk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogisticModelTest {
    @Test
    void namesTheStrongestReasonFirst() throws IOException {
        RiskModel model = ModelLoader.load(
                new StringReader("version=1\nintercept=-1\nweight.velocity=2\nweight.night=0.5\nweight.known=-3\n"));
        RiskScore score = model.score(FeatureVector.builder().set("night", true).set("velocity", true).build());
        assertEquals(List.of("velocity", "night"), score.reasons());
        assertEquals(RiskScore.Band.HIGH, score.band());
    }

    @Test
    void refusesAnUnknownKey() {
        assertThrows(
                ModelLoader.InvalidModelException.class,
                () -> ModelLoader.load(new StringReader("version=1\nintercept=0\nwieght.night=1\n")));
    }

    @Test
    void interpolatesBetweenCalibrationPoints() {
        Calibration calibration = new Calibration(new double[] {0, 0.5, 1}, new double[] {0, 0.1, 1});
        assertEquals(0.05, calibration.apply(0.25), 1e-9);
    }
}
