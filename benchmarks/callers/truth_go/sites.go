package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// use tells every site of a package.
func (t *truth) use(one *packages.Package) {
	for _, file := range one.Syntax {
		ast.Inspect(file, func(node ast.Node) bool {
			t.useIn(one, node)
			return true
		})
	}
}

func (t *truth) useIn(one *packages.Package, node ast.Node) {
	switch node := node.(type) {
	case *ast.CallExpr:
		t.useCall(one, node)
	case *ast.CompositeLit:
		t.useLiteral(one, node)
	case *ast.ReturnStmt:
		for _, result := range node.Results {
			t.site(one, result, "mention", nil)
		}
	case *ast.TypeSpec:
		t.useBases(one, node)
	}
}

func (t *truth) useCall(one *packages.Package, call *ast.CallExpr) {
	arguments := call.Args
	if function, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && isMaker(one.TypesInfo.Uses[function]) {
		t.site(one, arguments[0], "new", nil) // new(T), make(T)
		arguments = arguments[1:]
	} else {
		t.site(one, call.Fun, "call", nil)
	}
	for _, argument := range arguments {
		t.site(one, argument, "value", nil)
	}
}

func isMaker(object types.Object) bool {
	builtin, ok := object.(*types.Builtin)
	return ok && (builtin.Name() == "new" || builtin.Name() == "make")
}

func (t *truth) useLiteral(one *packages.Package, literal *ast.CompositeLit) {
	switch kind := literal.Type.(type) {
	case nil:
	case *ast.ArrayType:
		t.site(one, kind.Elt, "mention", nil) // []T{{…}} makes values of T, or is empty
	case *ast.MapType:
		t.site(one, kind.Value, "mention", nil)
	default:
		t.site(one, kind, "new", nil)
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Value
		}
		t.site(one, element, "mention", nil)
	}
}

// useBases tells embedded types, whose methods become the type's own.
func (t *truth) useBases(one *packages.Package, spec *ast.TypeSpec) {
	at, inside := t.place(one.Fset, spec.Name.Pos())
	owner, known := t.places[at]
	var fields *ast.FieldList
	switch body := spec.Type.(type) {
	case *ast.StructType:
		fields = body.Fields
	case *ast.InterfaceType:
		fields = body.Methods
	}
	if !inside || !known || fields == nil {
		return
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			t.site(one, field.Type, "inherit", &owner)
		}
	}
}

// nameIn is the name that an expression ends in, if it is one: a.b.Name, *Name, Name[int], (Name).
func nameIn(expression ast.Expr) *ast.Ident {
	switch node := expression.(type) {
	case *ast.Ident:
		return node
	case *ast.SelectorExpr:
		return node.Sel
	case *ast.StarExpr:
		return nameIn(node.X)
	case *ast.ParenExpr:
		return nameIn(node.X)
	case *ast.IndexExpr:
		return nameIn(node.X)
	case *ast.IndexListExpr:
		return nameIn(node.X)
	}
	return nil
}

func (t *truth) site(one *packages.Package, expression ast.Expr, kind string, owner *int) {
	name := nameIn(expression)
	if name == nil {
		return
	}
	at, inside := t.place(one.Fset, name.Pos())
	if !inside || t.seen[at] {
		return
	}
	targets, judged := []int{}, false
	object := origin(one.TypesInfo.Uses[name])
	if object != nil {
		_, isVariable := object.(*types.Var)
		judged = !isVariable || !isFunction(object.Type()) // which function it holds is unknown
		if index, known := t.indexOf(one.Fset, object); known && !isVariable {
			targets = append(targets, index)
		}
	}
	isName := kind == "value" || kind == "mention"
	if isName && (indexed(expression) || isVariableOf(object) || judged && !t.callable(targets)) {
		return
	}
	t.seen[at] = true
	t.answer.Sites = append(t.answer.Sites, []any{
		at.project, at.file, at.line, at.column, name.Name, kind, targets, judged, owner, []int{},
		t.receiver(one, expression),
	})
}

// indexed: a[i] and *a as values are no mention of a.
func indexed(expression ast.Expr) bool {
	switch expression.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr, *ast.StarExpr:
		return true
	}
	return false
}

func isVariableOf(object types.Object) bool {
	_, isVariable := object.(*types.Var)
	return isVariable
}

func isFunction(of types.Type) bool {
	_, ok := of.Underlying().(*types.Signature)
	return ok
}

func (t *truth) callable(targets []int) bool {
	for _, target := range targets {
		if t.answer.Definitions[target][4] != "interface" {
			return true
		}
	}
	return false
}

// origin is the generic function or method of an instance.
func origin(object types.Object) types.Object {
	if function, ok := object.(*types.Func); ok {
		return function.Origin()
	}
	return object
}
