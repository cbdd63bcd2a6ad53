// Command portal serves the partners' pages, and tries a partner code when asked to.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/acme/go-kit/log"
	"github.com/acme/partner-portal/internal/session"
	"github.com/acme/partner-portal/internal/web"
)

type contracts map[string]string

func (c contracts) Find(_ context.Context, code string) (string, error) { return c[code], nil }

func main() {
	partners := contracts{os.Getenv("PARTNER_CODE"): os.Getenv("PARTNER_NAME")}
	if len(os.Args) > 2 && os.Args[1] == "try" {
		cookie, err := session.HandleLogin(context.Background(), partners, os.Args[2])
		fmt.Println(session.PartnerOf(cookie), err)
		return
	}
	portal := &web.Portal{Partners: partners}
	handler := portal.Handler(log.New(os.Stdout, "partner-portal"))
	if err := http.ListenAndServe(os.Getenv("ADDRESS"), handler); err != nil {
		os.Exit(1)
	}
}
