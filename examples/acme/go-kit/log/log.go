// Package log writes JSON lines that carry the fields of the request they belong to.
package log

import (
	"context"
	"io"
	"log/slog"
)

type fieldsKey struct{}

// New returns a logger for one service. Values of secret fields are replaced before they are written.
func New(out io.Writer, service string) *slog.Logger {
	handler := slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: redact})
	return slog.New(contextHandler{handler}).With("service", service)
}

// With returns a context whose log lines carry these fields too.
func With(ctx context.Context, fields ...slog.Attr) context.Context {
	before, _ := ctx.Value(fieldsKey{}).([]slog.Attr)
	all := append(append([]slog.Attr{}, before...), fields...)
	return context.WithValue(ctx, fieldsKey{}, all)
}

// contextHandler adds the fields of the context to every record.
type contextHandler struct{ slog.Handler }

func (h contextHandler) Handle(ctx context.Context, record slog.Record) error {
	if fields, ok := ctx.Value(fieldsKey{}).([]slog.Attr); ok {
		record.AddAttrs(fields...)
	}
	return h.Handler.Handle(ctx, record)
}

func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}

func redact(_ []string, attr slog.Attr) slog.Attr {
	switch attr.Key {
	case "password", "token", "authorization", "phone", "email":
		return slog.String(attr.Key, "[redacted]")
	}
	return attr
}
