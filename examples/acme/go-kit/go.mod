module github.com/acme/go-kit

go 1.22
