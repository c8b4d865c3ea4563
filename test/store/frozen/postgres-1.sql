CREATE TABLE activation_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    connector_id text,
    idempotency_hash text
);
CREATE TABLE api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    revocation_reason text,
    last_used_at bigint
);
CREATE TABLE connectors (
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    key_hash text NOT NULL,
    activated_at bigint NOT NULL,
    last_heartbeat_at bigint,
    revoked_at bigint,
    revocation_reason text
)
WITH (fillfactor='70');
CREATE TABLE store_info (
    id integer NOT NULL,
    version integer NOT NULL,
    server_secret text NOT NULL,
    is_copying boolean NOT NULL,
    first_key_id text,
    checked_at bigint,
    CONSTRAINT store_info_id_check CHECK ((id = 1))
);
INSERT INTO activation_tokens VALUES ('-OPEEVkrhrQgt-ql3BEV9gQufU8IahJXMg1YEEDWalc', 'default', 'of oldest', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR10S50MAQJBNNBKKFVZ', '80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE');
INSERT INTO activation_tokens VALUES ('KSkNE6GsqnC6TjG7Cm_qoNBLQVIj9Uk3yxN8Lnm3trc', 'default', 'of removed-early', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR10S50MAQJBNNBKKFW0', 'vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc');
INSERT INTO activation_tokens VALUES ('QB9jzjiQKWKK4oAWGyW4N_UQSXOrc_vPik0cOpvqpaw', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('T57yR568di20yYj0nx-eYH4XVFr9Qh2oyJ0nJc7BPsg', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('lfvOSls61DzyKH7xCJBlUzARmpECuG1-RofRBI_-GlM', 'default', 'of online', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10S50MAQJBNNBKKFW2', 'g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU');
INSERT INTO activation_tokens VALUES ('Wr3twDW9gB0EK8qvxjpbSZjEO9zVkkTNjiehO7E0wHE', 'default', 'of silent', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10S50MAQJBNNBKKFW3', 'UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4');
INSERT INTO activation_tokens VALUES ('hkA5K042eIrVmDvJ2XOsrxKlbOhplVrxRFblP16RvQ8', 'acme', 'of elsewhere', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10S50MAQJBNNBKKFW4', 'juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw');
INSERT INTO activation_tokens VALUES ('4HZ4USQy0zQ-_Z9C_CgvqBXuqzqn-pogP9EUkwEy9yY', 'default', 'of removed-late', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10S50MAQJBNNBKKFW5', 'R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q');
INSERT INTO activation_tokens VALUES ('hAcXAmBlJYCfWAh2Svv_-h5BPnVrai7xW737LUIBcxE', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10S50MAQJBNNBKKFVX', 'acme', 'cmlwj_ef7cmRlspG1Jm2UKKvMoN1_pvBYhiuSUq0NlA', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10S50MAQJBNNBKKFVY', 'acme', 'KGmZAJsgNUyoYvBCO2z-zTDk0t5PIDgeQra7iQMI7ls', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10S50MAQJBNNBKKFW1', 'acme', '0-lrRKhYU2d7jbwQZVGKcocO4uSPEWtDZrw5iw8jSD4', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10S50MAQJBNNBKKFVV', 'default', 'yxCWVVp51aCXhI1O2jv_erdvQC-tD2FgvRorMFAHgqA', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M808HR10S50MAQJBNNBKKFVW', 'acme', 'mRQymWE0DqhgnnFED4mnlWHFHmTwrzanAxorAKBSDjU', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFVZ', 'default', 'oldest', 'cTwuoYCaBvVkSoQBBMTsG5SpRaX180uJrPB4WkRbmJg', 1795132800000, 1795132800000, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFW0', 'default', 'removed-early', '8TyAt98NVUiq8mL-GOlnirh3UumfuCIbAlp084eom_A', 1795132800000, 1795132800000, 1795132800000, 'sold');
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFW3', 'default', 'silent', 'Xs01SsRPbeQlSeC_n7Xq9hKBNIRF0M4l6O_D3UQTl_o', 1795305300000, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFW5', 'default', 'removed-late', 'U2bU39_EFVJub0jXI12erKXjZYyGB0ZXPMhm9Z6sIVs', 1795305300000, NULL, 1795305300000, 'sold');
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFW2', 'default', 'online', 'TvjMA4BQDfATsX0ywG04ATVR08-noprfmua5gI_6fuA', 1795305300000, 1795305570000, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10S50MAQJBNNBKKFW4', 'acme', 'elsewhere', 'fxuUelYI8pB7_fdlKGo3pNP4AdrJm-O0zWlsV3J9w3o', 1795305300000, 1795305570000, NULL, NULL);
INSERT INTO store_info VALUES (1, 1, '3QjijJbwbRi1AbzTW5bxAwPEcaUVSOAo6i85rBejRS4', false, 'key_01M808HR10S50MAQJBNNBKKFVV', NULL);
ALTER TABLE ONLY activation_tokens
    ADD CONSTRAINT activation_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY store_info
    ADD CONSTRAINT store_info_pkey PRIMARY KEY (id);
CREATE INDEX activation_tokens_by_expiry ON activation_tokens USING btree (expires_at);
CREATE INDEX connectors_by_organization ON connectors USING btree (organization, id);
CREATE INDEX connectors_revoked ON connectors USING btree (id) WHERE (revoked_at IS NOT NULL);
