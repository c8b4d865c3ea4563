import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {readInventory} from '../../src/connector/check/inventory-file.js';
import {readMachineList} from '../../src/connector/enroll/machine-list.js';
import {failure} from '../support/client.js';
import {isInstalled} from '../support/notice.js';
import {fakeIo} from '../support/process/io.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const names = ['web-1', 'web-2', 'db-1'];

/** Lists of `names` as these programs export them, and why they look so. */
const read: Readonly<Record<string, string>> = {
  // Microsoft, "Save a workbook to text format": the list separator of the region, and BOM with "CSV UTF-8".
  'Excel, CSV UTF-8, with the empty rows of cells that were cleared':
    '\ufeffname,rack,note\r\nweb-1,"Köln, 7",\r\nweb-2,,"a\r\nb"\r\n,,\r\ndb-1,9,\r\n,,\r\n',
  'Excel in German, CSV UTF-8, with a comma in a title':
    '\ufeffname;Preis, netto;Rack\r\nweb-1;3,5;Köln\r\nweb-2;;\r\ndb-1;;\r\n;;\r\n',
  'Excel, Text (Tab delimited)': 'name\track\r\nweb-1\t"7, left"\r\nweb-2\t\r\ndb-1\r\n',
  'Excel, CSV (Macintosh)': 'name,rack\rweb-1,7\rweb-2,\rdb-1,9\r',
  'Excel, with the line that names the separator':
    'sep=;\r\nname;rack\r\nweb-1;7\r\nweb-2;\r\ndb-1;\r\n',
  // LibreOffice 7.4: soffice --convert-to 'csv:Text - txt - csv (StarCalc):59,34,76,1' (9 for tabs).
  'LibreOffice with semicolons':
    '"name";"rack";"note"\n"web-1";"Köln; 7";"say ""hi"""\n"web-2";;"a\nb"\n;;\n"db-1";9;\n',
  'LibreOffice with tabs': '"name"\t"rack"\n"web-1"\t"7"\n"web-2"\t\n\t\n"db-1"\t9\n',
  // Gnumeric 1.12: ssconvert.
  'ssconvert of Gnumeric': 'name,rack\nweb-1,"Köln, 7"\nweb-2,\n,,\ndb-1,9\n',
  // File, Download: no line end after the last row.
  'Google Sheets': 'name,rack\r\nweb-1,"7, left"\r\nweb-2,\r\n,\r\ndb-1,9',
  'Google Sheets, TSV': 'name\track\r\nweb-1\t7, left\r\nweb-2\t\r\ndb-1\t9',
  // glpi-project/glpi, Search::showHeaderItem with CSV_OUTPUT: a separator behind each cell.
  'GLPI 10':
    '\ufeff"Name";"Entity";"Price, net";\n"web-1";"Root";"3";\n"web-2";"Root";"";\n"db-1";"Root";"";\n',
  // netbox-community/netbox, export_table: the titles of the columns, by django-tables2.
  'NetBox, current view':
    'Name,Status,Tenant\r\nweb-1,Active,\r\nweb-2,Active,—\r\ndb-1,Active,—\r\n',
  // ServiceNow, "Export a list": the names of the fields, with all cells in quotes.
  'ServiceNow, CSV':
    '"name","sys_class_name"\r\n"web-1","Server"\r\n"web-2","Server"\r\n"db-1",""\r\n',
  // gcloud topic formats: csv has a heading of the fields.
  'gcloud --format="csv(name,zone)"':
    'name,zone\nweb-1,europe-west1-b\nweb-2,europe-west1-b\ndb-1,\n',
};

const entriesWith = (field: string) => names.map((name) => ({[field]: name, version: 1}));

/** Documents of JSON, where their lists are, and what their entries call a name. */
const documents: Readonly<
  Record<string, readonly [document: unknown, list: string, field: string]>
> = {
  // AWS CLI reference, iot list-things.
  'aws iot list-things': [{things: entriesWith('thingName')}, 'things', 'thingName'],
  // Azure REST API, Devices - Get Identity: the CLI prints the array.
  'az iot hub device-identity list': [entriesWith('deviceId'), '', 'deviceId'],
  // ServiceNow, "JSONv2 web service": getRecords.
  'ServiceNow, JSON': [{records: entriesWith('name')}, 'records', 'name'],
  // NetBox, "REST API: Pagination".
  'NetBox, GET /api/dcim/devices/': [
    {count: 3, next: null, previous: null, results: entriesWith('name')},
    'results',
    'name',
  ],
};

/** What is not a list, and the remedy of the refusal. */
const refused: Readonly<Record<string, readonly [Buffer | string, remedy: string]>> = {
  'Excel, CSV in Windows-1252': [
    Buffer.from('name;Ort\r\nweb-1;Köln\r\n', 'latin1'),
    'iconv -f WIN',
  ],
  'Excel, Unicode Text': [Buffer.from('\ufeffname\track\r\nweb-1\t7\r\n', 'utf16le'), '-f UTF-16'],
  // soffice --convert-to csv writes Windows-1252 in every locale.
  'LibreOffice without options': [Buffer.from('name,rack\nweb-1,Köln\n', 'latin1'), 'iconv -f WIN'],
  'a workbook of Excel': [
    Buffer.from('504b0304140000000800ff', 'hex'),
    'a spreadsheet as CSV UTF-8',
  ],
  'an inventory of Ansible in INI': ['[web]\nweb-1\n', 'ansible-inventory --list | jq'],
  'an inventory of Ansible in YAML': [
    'all:\n  hosts:\n    web-1: {}\n',
    'ansible-inventory --list | jq',
  ],
  'the table of gcloud': [
    'NAME   ZONE            STATUS\nweb-1  europe-west1-b  RUNNING\n',
    'Write CSV',
  ],
};

describe('a list of another program', () => {
  const at = temporaryDirectory();
  const write = (content: Buffer | string) => {
    writeFileSync(at('list'), content);
    return at('list');
  };
  const both = {
    'as an inventory': async (path: string) =>
      (await readInventory(path, fakeIo())).map((one) => one.name),
    'as machines to enroll': async (path: string) =>
      (await readMachineList(path, fakeIo())).map((one) => one.name),
  };

  for (const [use, namesOf] of Object.entries(both)) {
    for (const [source, text] of Object.entries(read)) {
      it(`is read ${use}: ${source}`, async () => {
        expect(await namesOf(write(text))).to.deep.equal(names);
      });
    }
    for (const [source, [content, remedy]] of Object.entries(refused)) {
      it(`is refused ${use}, with a remedy: ${source}`, async () => {
        const error = await failure(() => namesOf(write(content)));
        expect(error).to.have.property('kind', 'usage');
        expect(error.hint).to.include(remedy);
      });
    }
    if (!isInstalled('jq')) continue;
    const path = join(root, 'test/distribution/contrib/outputs/ansible-inventory.json');
    const ansible = JSON.parse(readFileSync(path, 'utf8'));
    for (const [source, [document, list, field]] of [
      ...Object.entries(documents),
      // Ansible 2.14.
      ['ansible-inventory --list', [ansible, '', '']] as const,
    ]) {
      it(`is read ${use} after the command of jq that its refusal names: ${source}`, async () => {
        const {hint = ''} = await failure(() => namesOf(write(JSON.stringify(document))));
        const [general = '', ofAnsible = ''] = [...hint.matchAll(/jq (-r )?'([^']+)'/g)].map(
          ([command]) => command,
        );
        const command =
          field === '' ? ofAnsible : general.replace('LIST', list).replace('FIELD', field);
        const run = spawnSync('sh', ['-c', command], {
          input: JSON.stringify(document),
          encoding: 'utf8',
        });
        expect(run.stderr).to.equal('');
        expect(await namesOf(write(run.stdout))).to.have.members(names);
      });
    }
  }
});
