package com.acme.risk;

import java.util.Arrays;

/**
 * Corrects raw scores so that of the transactions scored 0.3 three in ten really are fraud. A table of
 * points, joined by straight lines.
 */
public final class Calibration {
    private final double[] raw;
    private final double[] observed;

    /** Both tables have the same length; `raw` ascends strictly. */
    public Calibration(double[] raw, double[] observed) {
        if (raw.length != observed.length || raw.length < 2) {
            throw new IllegalArgumentException("calibration needs two tables of the same length");
        }
        this.raw = raw.clone();
        this.observed = observed.clone();
    }

    /** Changes nothing. */
    public static Calibration identity() {
        return new Calibration(new double[] {0, 1}, new double[] {0, 1});
    }

    /** The observed share of fraud at a raw score, interpolated between the two nearest points. */
    public double apply(double score) {
        int index = Arrays.binarySearch(raw, score);
        if (index >= 0) {
            return observed[index];
        }
        int above = -index - 1;
        if (above == 0) {
            return observed[0];
        }
        if (above == raw.length) {
            return observed[raw.length - 1];
        }
        double share = (score - raw[above - 1]) / (raw[above] - raw[above - 1]);
        return observed[above - 1] + share * (observed[above] - observed[above - 1]);
    }
}
