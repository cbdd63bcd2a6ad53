package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// receiver tells through what a method is called.
func (t *truth) receiver(one *packages.Package, expression ast.Expr) string {
	selector, ok := ast.Unparen(expression).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if selection := one.TypesInfo.Selections[selector]; selection != nil && len(selection.Index()) > 1 {
		return "embedded type"
	}
	return t.shape(one, selector.X)
}

func (t *truth) shape(one *packages.Package, value ast.Expr) string {
	switch value := ast.Unparen(value).(type) {
	case *ast.Ident:
		return t.variable(one, value)
	case *ast.SelectorExpr:
		if name, ok := value.X.(*ast.Ident); ok {
			if _, isPackage := one.TypesInfo.Uses[name].(*types.PkgName); isPackage {
				return "other module's variable"
			}
		}
		return "field"
	case *ast.CallExpr:
		return "chained call"
	case *ast.IndexExpr:
		return "element"
	case *ast.TypeAssertExpr:
		return "narrowed"
	case *ast.CompositeLit:
		return "constructed"
	case *ast.UnaryExpr:
		return t.shape(one, value.X)
	case *ast.StarExpr:
		return t.shape(one, value.X)
	}
	return "other expression"
}

func (t *truth) variable(one *packages.Package, name *ast.Ident) string {
	object := one.TypesInfo.Uses[name]
	switch object := object.(type) {
	case *types.PkgName:
		return "module"
	case *types.TypeName:
		return "type"
	case *types.Var:
		at, inside := t.place(one.Fset, object.Pos())
		if how, known := t.declared[at]; inside && known {
			return how
		}
		if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "module variable"
		}
	}
	return "other variable"
}

// declare keeps how the variables of a node get their values.
func (t *truth) declare(one *packages.Package, node ast.Node) {
	switch node := node.(type) {
	case *ast.FuncDecl:
		if node.Recv != nil {
			t.declareAll(one, node.Recv, "self")
		}
	case *ast.FuncType:
		t.declareAll(one, node.Params, "annotated parameter")
		if node.Results != nil {
			t.declareAll(one, node.Results, "declared variable")
		}
	case *ast.RangeStmt:
		for _, name := range []ast.Expr{node.Key, node.Value} {
			t.declareOne(one, name, "loop variable")
		}
	case *ast.TypeSwitchStmt:
		t.declareCases(one, node)
	case *ast.AssignStmt:
		if node.Tok == token.DEFINE {
			for number, name := range node.Lhs {
				t.declareOne(one, name, held(node.Rhs, number, "local"))
			}
		}
	case *ast.ValueSpec:
		for number, name := range node.Names {
			if node.Type != nil {
				t.declareOne(one, name, "declared variable")
			} else {
				t.declareOne(one, name, held(node.Values, number, "variable"))
			}
		}
	}
}

// declareCases: the name of `switch x := y.(type)` is a variable of its own in each case, at one place.
func (t *truth) declareCases(one *packages.Package, node *ast.TypeSwitchStmt) {
	if assign, ok := node.Assign.(*ast.AssignStmt); ok {
		t.declareOne(one, assign.Lhs[0], "narrowed")
	}
}

func held(values []ast.Expr, number int, noun string) string {
	if len(values) == 0 {
		return "other variable"
	}
	value := values[0]
	if number < len(values) {
		value = values[number]
	}
	second := ""
	if number >= len(values) {
		second = ", not the first"
	}
	switch value := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		return noun + " from a call" + second
	case *ast.UnaryExpr:
		if _, isLiteral := value.X.(*ast.CompositeLit); isLiteral {
			return "constructed"
		}
		if value.Op == token.ARROW {
			return "element"
		}
	case *ast.CompositeLit:
		return "constructed"
	case *ast.IndexExpr:
		return noun + " from an element"
	case *ast.TypeAssertExpr:
		return "narrowed"
	case *ast.SelectorExpr, *ast.Ident:
		return noun + " from a name"
	}
	return "other variable"
}

func (t *truth) declareAll(one *packages.Package, fields *ast.FieldList, how string) {
	for _, field := range fields.List {
		for _, name := range field.Names {
			t.declareOne(one, name, how)
		}
	}
}

func (t *truth) declareOne(one *packages.Package, name ast.Expr, how string) {
	identifier, ok := name.(*ast.Ident)
	if !ok {
		return
	}
	at, inside := t.place(one.Fset, identifier.Pos())
	if _, known := t.declared[at]; inside && !known {
		t.declared[at] = how
	}
}
