package session

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

func newCookie(partner string) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	return partner + "." + hex.EncodeToString(random)
}

// PartnerOf returns the partner that a cookie belongs to.
func PartnerOf(cookie string) string {
	partner, _, _ := strings.Cut(cookie, ".")
	return partner
}
