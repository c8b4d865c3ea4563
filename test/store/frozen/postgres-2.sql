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
INSERT INTO activation_tokens VALUES ('i96skkde9eDVcVSxKC-n39_ApUsDrEbFtvkFeSSQweU', 'default', 'of oldest', 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00BQH249RCWW8QJYW8', '80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE');
INSERT INTO activation_tokens VALUES ('W5FZ7Wyi5rDdHqAIEhLzAHIGuoxGr3WVUD936XIeULY', 'default', 'of removed-early', 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00BQH249RCWW8QJYW9', 'vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc');
INSERT INTO activation_tokens VALUES ('t9BZPuQQodsZ8hJ1xq6H30aabY4YwkPXNTHwGeHsj6c', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('2OCL9u6E-sXkLALz8B_vq3xbQ6uXu6qJqSRAYF1v36I', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('63B-rakvKv7rmp_HLcVKPzLQ5zBP0D1iatb6oxZ7x2I', 'default', 'of online', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10A7T3QC1KSV6E3GXH', 'g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU');
INSERT INTO activation_tokens VALUES ('ZbdYgOfEqPLLCgLmoBASKnN6vyHKFKL636-H_-Bi5Zo', 'default', 'of silent', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10A7T3QC1KSV6E3GXJ', 'UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4');
INSERT INTO activation_tokens VALUES ('iAsJiqDcjukxOBD4xJEmcmbbLP_x2kMXFHhvOlua9QY', 'acme', 'of elsewhere', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10A7T3QC1KSV6E3GXK', 'juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw');
INSERT INTO activation_tokens VALUES ('hQIkjVbnITSkQZc3E9z_XWvH8mmvwo58kgxGKGZaxME', 'default', 'of removed-late', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR10A7T3QC1KSV6E3GXM', 'R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q');
INSERT INTO activation_tokens VALUES ('_Eel6dXitIN9-ZG7bVTDN6cmXiOvRGaMwLmZ7cVyQq0', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00BQH249RCWW8QJYW6', 'acme', 'fI2J1TqCsVlwi0GL2FMmDfpdQ5IQ_no5aS1k9rS7vTA', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00BQH249RCWW8QJYW7', 'acme', 'T2K5QHHb4SrmGJ-uNLxQ3Atg6HinswNuoYcJn1NGlZw', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7XPE600VXZ6WE71BW14TW7C', 'acme', 'Z9fVb2ElwWpLBgPwdHKd55MtPuv1N-_CIWMz1Aq5ALE', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00BQH249RCWW8QJYW4', 'default', 'XXm-QzVZqMXYFXAbvw7Cv6_Kd7Y25XA_XeNawtehGpU', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M7V41F00BQH249RCWW8QJYW5', 'acme', 'TRGX77_R_AiUQCvV_QSy5GkD5WkFBXkU6Zg43bfpKdA', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M7V41F00BQH249RCWW8QJYW8', 'default', 'oldest', 'nBz1nZIZQFKc-W0vS9djLnceWxI6nsntdWOGgjJ9B3M', 1795132800000, 1795132800000, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F00BQH249RCWW8QJYW9', 'default', 'removed-early', 'eC49N1FchLkZsbLMk15nxhftUSY7f9rodDnwUNxWx6c', 1795132800000, 1795132800000, 1795132800000, 'sold');
INSERT INTO connectors VALUES ('con_01M808HR10A7T3QC1KSV6E3GXJ', 'default', 'silent', '_xjCvVlWJg6MVWaAyAHbpFeRYjO5RMNQuJs-pGFOxfQ', 1795305300000, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10A7T3QC1KSV6E3GXM', 'default', 'removed-late', 'NVA67JPtnBRhEE_JZcM97ViMXuYWWKB1bj4XKjNBV6Q', 1795305300000, NULL, 1795305300000, 'sold');
INSERT INTO connectors VALUES ('con_01M808HR10A7T3QC1KSV6E3GXH', 'default', 'online', 'H5yI_rk6jpD3AH3DK99PICWZ22ciuS3SMwl5_Y25lgo', 1795305300000, 1795305570000, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10A7T3QC1KSV6E3GXK', 'acme', 'elsewhere', 'LMGOgIcrYZZK_ZJtvS0OpsGpeeOBQtzDrxHgizwsLl8', 1795305300000, 1795305570000, NULL, NULL);
INSERT INTO store_info VALUES (1, 2, 'Uy6kCvzRFE1sVoT5Biibg9cIdRF_pCtSQWT54XRkF1A', false, 'key_01M7V41F00BQH249RCWW8QJYW4', NULL);
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
CREATE INDEX activation_tokens_by_organization ON activation_tokens USING btree (organization, expires_at);
CREATE INDEX connectors_by_organization ON connectors USING btree (organization, id);
CREATE INDEX connectors_revoked ON connectors USING btree (id) WHERE (revoked_at IS NOT NULL);
