package com.acme.risk;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Named numbers that describe one transaction. Immutable. */
public final class FeatureVector {
    private final Map<String, Double> values;

    private FeatureVector(Map<String, Double> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    /** Starts an empty vector. */
    public static Builder builder() {
        return new Builder();
    }

    /** The value of a feature, or zero when it was not set. */
    public double get(String name) {
        return values.getOrDefault(name, 0.0);
    }

    /** All features that were set, in the order in which they were. */
    public Map<String, Double> asMap() {
        return values;
    }

    /** Collects the features. */
    public static final class Builder {
        private final Map<String, Double> values = new LinkedHashMap<>();

        /** Sets a feature. A number that is not finite would poison every score after it, so it is refused. */
        public Builder set(String name, double value) {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException(name + " is not a finite number");
            }
            values.put(name, value);
            return this;
        }

        public Builder set(String name, boolean value) {
            return set(name, value ? 1.0 : 0.0);
        }

        public FeatureVector build() {
            return new FeatureVector(new LinkedHashMap<>(values));
        }
    }
}
