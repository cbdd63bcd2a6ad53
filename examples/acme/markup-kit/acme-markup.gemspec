Gem::Specification.new do |spec|
  spec.name = "acme-markup"
  spec.version = "1.5.0"
  spec.summary = "The few marks that our editors use, turned into HTML"
  spec.authors = ["Acme"]
  spec.license = "Apache-2.0"
  spec.files = Dir["lib/**/*.rb"]
  spec.required_ruby_version = ">= 3.1"
end
