package httpx

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/acme/go-kit/log"
)

// Middleware wraps a handler with one more duty.
type Middleware func(http.Handler) http.Handler

// Chain applies the middleware so that the first one sees the request first.
func Chain(handler http.Handler, middleware ...Middleware) http.Handler {
	for i := len(middleware) - 1; i >= 0; i-- {
		handler = middleware[i](handler)
	}
	return handler
}

// RequestID puts the caller's X-Request-Id into the log fields of everything that follows.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := log.With(r.Context(), slog.String("request_id", r.Header.Get("X-Request-Id")))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Recover turns a panic of the handler into a 500, so that one bad request does not end the process.
func Recover(logger *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if reason := recover(); reason != nil {
					logger.ErrorContext(r.Context(), "handler panicked", "reason", reason)
					http.Error(w, "internal error", http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// AccessLog writes a line for each request with how long it took.
func AccessLog(logger *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			next.ServeHTTP(w, r)
			logger.InfoContext(r.Context(), "request", "path", r.URL.Path, "took", time.Since(start))
		})
	}
}
