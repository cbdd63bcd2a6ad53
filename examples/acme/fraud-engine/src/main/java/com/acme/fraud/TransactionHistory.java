package com.acme.fraud;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What each customer paid lately, in memory. Older transactions are forgotten. */
public final class TransactionHistory {
    private final Duration memory;
    private final Map<String, Deque<Transaction>> byCustomer = new ConcurrentHashMap<>();

    public TransactionHistory(Duration memory) {
        this.memory = memory;
    }

    /** Remembers a transaction and drops those that have become too old. */
    public void record(Transaction transaction) {
        Deque<Transaction> own = byCustomer.computeIfAbsent(transaction.customerId(), id -> new ArrayDeque<>());
        synchronized (own) {
            own.addLast(transaction);
            Instant oldest = transaction.at().minus(memory);
            while (own.getFirst().at().isBefore(oldest)) {
                own.removeFirst();
            }
        }
    }

    /** The customer's transactions from `since` on, oldest first. */
    public List<Transaction> recent(String customerId, Instant since) {
        Deque<Transaction> own = byCustomer.getOrDefault(customerId, new ArrayDeque<>());
        synchronized (own) {
            return own.stream().filter(transaction -> !transaction.at().isBefore(since)).toList();
        }
    }
}
