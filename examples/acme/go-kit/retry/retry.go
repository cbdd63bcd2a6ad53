// Package retry runs an operation again after a transient failure.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Policy says how often and how patiently to try. The zero value tries once.
type Policy struct {
	Attempts int
	Base     time.Duration // the first wait; every further wait is twice as long
	Max      time.Duration // no wait is longer than this
}

// Default suits calls between our own services.
var Default = Policy{Attempts: 4, Base: 100 * time.Millisecond, Max: 5 * time.Second}

// permanentError wraps an error that another attempt cannot mend.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks err so that Do returns it at once instead of trying again: ADR-0007 of common-utils.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// Do calls op until it succeeds, fails for good, runs out of attempts or the context ends.
func Do(ctx context.Context, policy Policy, op func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := op(ctx)
		var permanent permanentError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &permanent):
			return permanent.error
		case attempt >= policy.Attempts:
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		if waitErr := wait(ctx, policy.Delay(attempt)); waitErr != nil {
			return errors.Join(waitErr, err)
		}
	}
}

// Delay returns the wait after the given attempt, counted from one, with full jitter.
func (p Policy) Delay(attempt int) time.Duration {
	ceiling := p.Base << min(attempt-1, 30)
	if ceiling <= 0 || ceiling > p.Max {
		ceiling = p.Max
	}
	if ceiling <= 0 {
		return 0
	}
	return rand.N(ceiling + 1)
}

func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
