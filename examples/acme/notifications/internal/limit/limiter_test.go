package limit

import (
	"testing"
	"time"
)

func TestBurstIsAllowedAndThenPaced(t *testing.T) {
	now := time.Unix(0, 0)
	limiter := New(10, 2)
	limiter.now, limiter.last = func() time.Time { return now }, now
	if !limiter.Allow() || !limiter.Allow() || limiter.Allow() {
		t.Fatal("a burst of two is two")
	}
	now = now.Add(100 * time.Millisecond)
	if !limiter.Allow() {
		t.Fatal("ten a second is one after 100 ms")
	}
}
