#!/usr/bin/env -S node --import tsx
import {settings} from '@oclif/core';
import {main} from '../src/cli/main.ts';

process.env.NODE_ENV = 'development';
settings.debug = true;
await main(import.meta.url);
