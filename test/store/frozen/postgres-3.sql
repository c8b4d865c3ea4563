CREATE TABLE activation_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    connector_id text,
    idempotency_hash text,
    reissues text COLLATE pg_catalog."C"
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
    revocation_reason text,
    ended_key_hash text,
    reissue_hash text
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
INSERT INTO activation_tokens VALUES ('DEllHXZbHHhw6VcrWqH5sOjEMQ1AbeXHaXleoxc8qnY', 'default', 'of oldest', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR1014NBG9QC703S91HD', '80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE', NULL);
INSERT INTO activation_tokens VALUES ('cWaemiqA9gvXiiYCJ8_7Z65kWX0EvLAvjAKuHN1Tgas', 'default', 'of removed-early', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR1014NBG9QC703S91HE', 'vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc', NULL);
INSERT INTO activation_tokens VALUES ('AOXCPxQcT20iZ84JgxTNZdBlZI7pPJUh5J8Ck5bTSV0', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('Ifq8Pc2GbHlW8CRcHxFvQphUGdtkxYzb7AQI3hPGdPQ', 'default', 'of old-disk', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR1014NBG9QC703S91HF', 'kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY', NULL);
INSERT INTO activation_tokens VALUES ('YBnP2c_H8vWe0ENO6yrnaggCpart8e_sbda4m2dHEgg', 'default', NULL, 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR1014NBG9QC703S91HG', '_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4', 'con_01M808HR1014NBG9QC703S91HF');
INSERT INTO activation_tokens VALUES ('kCdpVUpFRzkuFYFuBju2aBh35_8im7bFB6NRQDkI1mk', 'default', 'of retired-early', 1795132800000, 1795133700000, 1795132800000, 'con_01M808HR1014NBG9QC703S91HH', 'Kr-HJ0BBOW0PHcXae_BbAfd8rwy0YbhcysCdHxl5n88', NULL);
INSERT INTO activation_tokens VALUES ('Cjj6eCSWe09Si23mmmIaOLx-k3DBy6VfaSuo-DsI0jI', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('2xBGfBX8SF9vDqtnhEWxv8hI-lu7X8RaUEZa8pD2ozg', 'default', 'of online', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HK', 'g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU', NULL);
INSERT INTO activation_tokens VALUES ('7v3dlKSekHtNL19tX2sATgEZk3JKWYiRwPQoFy4amIM', 'default', 'of silent', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HM', 'UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4', NULL);
INSERT INTO activation_tokens VALUES ('oqx1qIKrcT6n1rgyHdyjqU_l01tU5L4G6UB15zxDSGo', 'acme', 'of elsewhere', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HN', 'juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw', NULL);
INSERT INTO activation_tokens VALUES ('wa1AnFZOFvckJcQcBzLbZ4_hzCEwdxjB2ZTg0um0grs', 'default', 'of removed-late', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HP', 'R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q', NULL);
INSERT INTO activation_tokens VALUES ('TJzktVLDvXCChsNmuKamziBua6vGI6PjpDBSd8FolKU', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('gSxtv6cgKDXfpMp6mSEXTuvMJHNPpvk_TQpq08BaAMQ', 'default', 'of old-key', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HQ', 'E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw', NULL);
INSERT INTO activation_tokens VALUES ('kmWXvf-jJ7XRhnltfrI9WzACAVduWcdnASDdKA74PUA', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HR', 'sXbJBKWjEkgauBBKwh_4FRCtHAzytc8Uj8ufcByLO2Q', 'con_01M808HR1014NBG9QC703S91HQ');
INSERT INTO activation_tokens VALUES ('V_6jeqpZw1Qlhs-z8jE3-ApQCoxaq-UaFeuqraMAhx4', 'default', 'of lost-key', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HS', 'sh3i5J4mfDpB24xltVcbu0Od7PT9yPY37qFh9ByxXDU', NULL);
INSERT INTO activation_tokens VALUES ('LZuWpzq8b3WUHDUzwHYwGxHlfEJ3QzDiu7Wmh273tDw', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HT', 'GMTNGqbyGTOVefYTf8fd3FYDQ2NzWPI9FIW3dVtGwiw', 'con_01M808HR1014NBG9QC703S91HS');
INSERT INTO activation_tokens VALUES ('i0JQyJm5xRGI6TlEmJinN--pf6bOa9WX1Ltxo062SRo', 'default', 'of waiting', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HV', 'HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU', NULL);
INSERT INTO activation_tokens VALUES ('GzuAA67FD9EQZu0QbY7qhwPbB5Y9dKlISCQdwbCloM8', 'default', NULL, 1795305300000, 1795306200000, NULL, NULL, NULL, 'con_01M808HR1014NBG9QC703S91HV');
INSERT INTO activation_tokens VALUES ('mB4NQmgMhR6fKY0e2BohuJXJBELY3KRzxle0oELdB3o', 'default', NULL, 1795305300000, 1795306200000, NULL, NULL, NULL, 'con_01M808HR1014NBG9QC703S91HV');
INSERT INTO activation_tokens VALUES ('uRqqH4G4IFx4nnsbLobyiV-zSmcenB2sbmyHHPSI7ow', 'default', 'of retired-late', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR1014NBG9QC703S91HW', 'fepC3gjixTYKU4UxIgoQBi1ofNXWBlpKLlCLs9TgB3I', NULL);
INSERT INTO activation_tokens VALUES ('ZmZO8nrhoNaweSeHN_A4ckse7Q1G1u0Px77H4h5XdFc', 'default', NULL, 1795305300000, 1795306200000, NULL, NULL, NULL, 'con_01M808HR1014NBG9QC703S91HW');
INSERT INTO api_keys VALUES ('key_01M808HR1014NBG9QC703S91HB', 'acme', 'ewwRpaN3q6hAgFARGbfMbZ2M0fbWpsqNgdXHHMW3dgg', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M808HR1014NBG9QC703S91HC', 'acme', '8mSloC1uC-QNLldEexWcqOmui0ca_dm-SXeKI1uum10', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR1014NBG9QC703S91HJ', 'acme', 'Qskwjo5IY6Y4cQ4LxzLFsrN5wB8fj90tR241lbRLDKU', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR1014NBG9QC703S91H9', 'default', 'nSCYQVENgAFOmZBLYtOJZE-NzQAXOEHkjLARKCCWcxg', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M808HR1014NBG9QC703S91HA', 'acme', 'b6xQvu_H0Wb59jgy5F53KG-d6o23vE4PnKeJwY6zQwk', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HD', 'default', 'oldest', '5ce0_ohPe2bw1i0CQBOnUy7vy_qzE0ZoBkxyAHKYIvk', 1795132800000, 1795132800000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HE', 'default', 'removed-early', 'OslLoBxI_1bUQvTup9OcctMTQ_8WdvRCShzUnuZTamE', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HF', 'default', 'new-disk', 'Lm7AZ6Uz7BQueOChCIr0UIZ6d9B_aUxtbzG001jSrjc', 1795132800000, 1795132800000, NULL, NULL, 'TEMc9GxK9AVazS-XUbbPrqo-FuJ0vdc-aI9kEIHUDL8', NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HM', 'default', 'silent', 'XFnwk_eIJxDPPcx7DBU7syPbPHM1xGXjhOMG0CD7mnw', 1795305300000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HP', 'default', 'removed-late', 'vKVBpteELio5wZBszCLIUznPOJIRbJcIrexMyxQsIkQ', 1795305300000, NULL, 1795305300000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HQ', 'default', 'used-key', 'llIdsLIMFe4t_9xt3005eyKCBwcx-zgCYczgFuEI3E8', 1795305300000, 1795305300000, NULL, NULL, '7qClqiunf9BYfP9Z53FzcWiUL19GkRJi7FdWDacU4KI', NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HS', 'default', 'unused-key', '-F50VHViL2SD85mvP8_Y86mxMuQX6yt5bRV2lyET1cg', 1795305300000, NULL, NULL, NULL, '8Yzyvq4PBXVTfDIWHaZLhK93yzDJbMW8IQmrh8by290', NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HV', 'default', 'waiting', 'IYZ1cxCP6A2SHyrohw6JKBb8Gp8nyP7AHnYSZTJNPNI', 1795305300000, NULL, NULL, NULL, NULL, 'mB4NQmgMhR6fKY0e2BohuJXJBELY3KRzxle0oELdB3o');
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HK', 'default', 'online', 'pEUzEH6W74izbTGolwqsM4qiKcgIyusjOHpPjsdSeQQ', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR1014NBG9QC703S91HN', 'acme', 'elsewhere', 'XB3i6mx5MC6p8uzdLCfGGC4n-r3AcRznxFTHDqvSh8I', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO store_info VALUES (1, 3, '0_zBUOw1osq7MGePVbod0GWBu0xIykYqzelJ7chf3iI', false, 'key_01M808HR1014NBG9QC703S91H9', NULL);
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
CREATE INDEX activation_tokens_reissues ON activation_tokens USING btree (reissues) WHERE (reissues IS NOT NULL);
CREATE INDEX connectors_by_organization ON connectors USING btree (organization, id);
CREATE INDEX connectors_revoked ON connectors USING btree (id) WHERE (revoked_at IS NOT NULL);
