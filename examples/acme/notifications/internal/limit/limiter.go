// Package limit paces deliveries, so that a burst does not get our senders blocked.
package limit

import (
	"context"
	"sync"
	"time"
)

// Limiter is a token bucket: rate tokens a second, at most burst saved up.
type Limiter struct {
	mu     sync.Mutex
	rate   float64
	burst  float64
	tokens float64
	last   time.Time
	now    func() time.Time
}

// New returns a full bucket.
func New(perSecond, burst float64) *Limiter {
	return &Limiter{rate: perSecond, burst: burst, tokens: burst, last: time.Now(), now: time.Now}
}

// Allow takes a token if there is one.
func (l *Limiter) Allow() bool {
	return l.reserve() == 0
}

// Wait blocks until there is a token or the context ends.
func (l *Limiter) Wait(ctx context.Context) error {
	for {
		delay := l.reserve()
		if delay == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay):
		}
	}
}

// reserve takes a token and returns zero, or returns how long to wait for the next one.
func (l *Limiter) reserve() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.tokens = min(l.burst, l.tokens+now.Sub(l.last).Seconds()*l.rate)
	l.last = now
	if l.tokens >= 1 {
		l.tokens--
		return 0
	}
	return time.Duration((1 - l.tokens) / l.rate * float64(time.Second))
}
