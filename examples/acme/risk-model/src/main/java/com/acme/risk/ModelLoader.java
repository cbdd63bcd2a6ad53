package com.acme.risk;

import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** Reads a model from the properties file of the data team. */
public final class ModelLoader {
    private static final String WEIGHT_PREFIX = "weight.";

    private ModelLoader() {}

    /**
     * Loads a model.
     *
     * @throws InvalidModelException if a key is missing, unknown, or not a number
     */
    public static RiskModel load(Reader source) throws IOException {
        Properties properties = new Properties();
        properties.load(source);
        Map<String, Double> weights = new HashMap<>();
        for (String key : properties.stringPropertyNames()) {
            if (key.startsWith(WEIGHT_PREFIX)) {
                weights.put(key.substring(WEIGHT_PREFIX.length()), number(properties, key));
            } else if (!key.equals("version") && !key.equals("intercept")) {
                throw new InvalidModelException("unknown key " + key);
            }
        }
        String version = required(properties, "version");
        return new LogisticModel(version, number(properties, "intercept"), weights, Calibration.identity());
    }

    private static String required(Properties properties, String key) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new InvalidModelException("missing key " + key);
        }
        return value;
    }

    private static double number(Properties properties, String key) {
        try {
            return Double.parseDouble(required(properties, key));
        } catch (NumberFormatException e) {
            throw new InvalidModelException(key + " is not a number");
        }
    }

    /** The file is not a complete model. */
    public static final class InvalidModelException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidModelException(String message) {
            super(message);
        }
    }
}
