package com.acme.fraud;

import java.time.Instant;

/**
 * A payment before it is charged.
 *
 * @param amountMinor the amount in minor units of the currency
 * @param cardCountry where the card was issued, ISO 3166
 * @param shippingCountry where the goods go, or empty for services
 */
public record Transaction(
        String id,
        String customerId,
        String cardToken,
        long amountMinor,
        String currency,
        String cardCountry,
        String shippingCountry,
        Instant at) {}
