// Package session knows which partner sits behind a cookie.
package session

import (
	"context"
	"errors"

	"github.com/acme/go-kit/retry"
)

// ErrRefused says that the partner's code is wrong or has been withdrawn.
var ErrRefused = errors.New("partner code refused")

// Partners finds a partner by the code of its contract.
type Partners interface {
	Find(ctx context.Context, code string) (string, error)
}

// HandleLogin trades a partner code for the value of a cookie.
func HandleLogin(ctx context.Context, partners Partners, code string) (string, error) {
	var partner string
	err := retry.Do(ctx, retry.Default, func(ctx context.Context) error {
		found, err := partners.Find(ctx, code)
		partner = found
		return err
	})
	if err != nil {
		return "", err
	}
	if partner == "" {
		return "", ErrRefused
	}
	return newCookie(partner), nil
}
