# Each new machine gets an activation token that is in neither the plan nor the state: the output of a provisioner is
# not kept. Terraform runs where connectorctl has a key of the organization (CONNECTORCTL_API_KEY_FILE or a profile).

variable "machines" {
  description = "Names of the machines, which are the names of their connectors"
  type        = set(string)
}

# The default is for a machine with the package, its base URL in /etc/connectorctl/connector.env, and the unit.
variable "deliver" {
  description = "Shell command that gives the token on its stdin to the machine $NAME"
  type        = string
  default     = "ssh \"root@$NAME\" \"mkdir -p /etc/connectorctl && umask 077 && cat > '/etc/connectorctl/$NAME.token' && systemctl enable --now 'connectorctl-heartbeat@$NAME'\""
}

resource "terraform_data" "token" {
  for_each = var.machines
  # In its place: the id of the machine, so that a new machine of the same name gets a new token.
  triggers_replace = each.key

  provisioner "local-exec" {
    command     = "token=$(connectorctl token create --ttl 1h) && printf '%s\\n' \"$token\" | { ${var.deliver}; }"
    environment = { NAME = each.key }
  }
}

output "connectors" {
  value = [for name in var.machines : { name = name }]
}
