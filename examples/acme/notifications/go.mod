module github.com/acme/notifications

go 1.22

require github.com/acme/go-kit v1.2.0
