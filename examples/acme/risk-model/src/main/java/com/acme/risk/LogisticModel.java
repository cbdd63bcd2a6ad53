package com.acme.risk;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Logistic regression: a weighted sum of the features, squeezed between zero and one. */
public final class LogisticModel implements RiskModel {
    private static final int MAX_REASONS = 3;

    private final String version;
    private final double intercept;
    private final Map<String, Double> weights;
    private final Calibration calibration;

    public LogisticModel(String version, double intercept, Map<String, Double> weights, Calibration calibration) {
        this.version = version;
        this.intercept = intercept;
        this.weights = Map.copyOf(weights);
        this.calibration = calibration;
    }

    @Override
    public RiskScore score(FeatureVector features) {
        double sum = intercept;
        for (Map.Entry<String, Double> weight : weights.entrySet()) {
            sum += weight.getValue() * features.get(weight.getKey());
        }
        return new RiskScore(calibration.apply(sigmoid(sum)), strongestReasons(features));
    }

    @Override
    public String version() {
        return version;
    }

    /** Which features pushed the score up, by how much each contributed. */
    private List<String> strongestReasons(FeatureVector features) {
        return weights.keySet().stream()
                .filter(name -> contribution(name, features) > 0)
                .sorted(Comparator.comparingDouble((String name) -> -contribution(name, features)))
                .limit(MAX_REASONS)
                .toList();
    }

    private double contribution(String name, FeatureVector features) {
        return weights.get(name) * features.get(name);
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
