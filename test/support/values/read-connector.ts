import {createClient} from '../../../src/client/create-client.js';
import {AppError} from '../../../src/errors.js';

/** Reads the connector `a` of each service named on the command line, and reports the result. */
for (const baseUrl of process.argv.slice(2)) {
  const line = await createClient({baseUrl})
    .getConnector('a')
    .then(
      ({id}) => id,
      (error) => (error instanceof AppError ? `${error.kind}: ${error.message}` : 'a bug'),
    );
  process.stdout.write(`${line}\n`);
}
