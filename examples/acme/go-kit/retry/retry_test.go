package retry

import (
	"context"
	"errors"
	"testing"
	"time"
)

var quick = Policy{Attempts: 3, Base: time.Microsecond, Max: time.Microsecond}

func TestDoTriesAgainUntilSuccess(t *testing.T) {
	calls := 0
	err := Do(context.Background(), quick, func(context.Context) error {
		calls++
		if calls < 3 {
			return errors.New("busy")
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Fatalf("err = %v after %d calls", err, calls)
	}
}

func TestPermanentErrorsAreNotRepeated(t *testing.T) {
	refused, calls := errors.New("refused"), 0
	err := Do(context.Background(), quick, func(context.Context) error {
		calls++
		return Permanent(refused)
	})
	if !errors.Is(err, refused) || calls != 1 {
		t.Fatalf("err = %v after %d calls", err, calls)
	}
}

func TestDelayNeverExceedsTheMaximum(t *testing.T) {
	policy := Policy{Base: time.Second, Max: 3 * time.Second}
	for attempt := 1; attempt < 100; attempt++ {
		if delay := policy.Delay(attempt); delay < 0 || delay > policy.Max {
			t.Fatalf("attempt %d waits %v", attempt, delay)
		}
	}
}
