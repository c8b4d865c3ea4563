import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {readInventory} from '../../src/connector/check/inventory-file.js';
import {readMachineList} from '../../src/connector/enroll/machine-list.js';
import {failure} from '../support/client.js';
import {isInstalled} from '../support/notice.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const names = ['web-1', 'web-2', 'db-1'];

/** Lists of `names` as these programs export them. The address above an entry confirms its form. */
const read: Readonly<Record<string, string>> = {
  // Bytes of Excel 2019: https://github.com/SheetJS/sheetjs/issues/2080; a line break in a cell is LF alone:
  // https://mschaef.com/cr-lf; cleared rows: https://github.com/microsoft/AzureStorageExplorer/issues/3136.
  'Excel, CSV UTF-8, with the empty rows of cells that were cleared':
    '\ufeffname,rack,note\r\nweb-1,"Köln, 7",\r\nweb-2,,"a\nb"\r\n,,\r\ndb-1,9,\r\n,,\r\n',
  // https://github.com/ryancramerdesign/ImportPagesCSV/pull/9, and Workbook.SaveAs, `Local`:
  // https://learn.microsoft.com/en-us/office/vba/api/excel.workbook.saveas.
  'Excel in German, CSV UTF-8, with a comma in a title':
    '\ufeffname;Preis, netto;Rack\r\nweb-1;3,5;Köln\r\nweb-2;;\r\ndb-1;;\r\n;;\r\n',
  // Last cells: https://mrexcel.com/board/threads/vba-edit-hex-of-existing-csv-style-file.1140952; quotes:
  // https://reference.aspose.com/cells/cpp/aspose.cells/txtvaluequotetype/.
  'Excel, Text (Tab delimited)': 'name\track\r\nweb-1\t"7 ""left"""\r\nweb-2\t\r\n\t\r\ndb-1\t\r\n',
  // https://github.com/Keyang/node-csvtojson/issues/71.
  'Excel, CSV (Macintosh)': 'name,rack\rweb-1,7\rweb-2,\rdb-1,9\r',
  // https://github.com/pandas-dev/pandas/issues/61692.
  'a program that names the separator for Excel':
    'sep=;\r\nname;rack\r\nweb-1;7\r\nweb-2;\r\ndb-1;\r\n',
  // LibreOffice 7.4.7.2, run: soffice --convert-to 'csv:Text - txt - csv (StarCalc):59,34,76,1' (9 for tabs).
  'LibreOffice with semicolons':
    '"name";"rack";"note"\n"web-1";"Köln; 7";"say ""hi"""\n"web-2";;"a\nb"\n;;\n"db-1";9;\n',
  'LibreOffice with tabs': '"name"\t"rack"\n"web-1"\t"7"\n"web-2"\t\n\t\n"db-1"\t9\n',
  // ssconvert 1.12.55, run.
  'ssconvert of Gnumeric':
    'name,rack,note\nweb-1,"Köln, 7","say ""hi"""\nweb-2,,"a\nb"\n,,\ndb-1,9,\n',
  // Line ends: https://github.com/uniVocity/univocity-parsers/issues/530; quotes:
  // https://github.com/rails-girls-summer-of-code/rgsoc-teams/issues/762; empty rows:
  // https://github.com/sul-dlss/argo/issues/4316.
  'Google Sheets': 'name,rack\r\nweb-1,"7, left"\r\nweb-2,\r\n,\r\ndb-1,9',
  // https://github.com/glpi-project/glpi, src/Search.php, showHeaderItem with CSV_OUTPUT: a separator behind each cell.
  'GLPI 10':
    '\ufeff"Name";"Entity";"Price, net";\n"web-1";"Root";"3";\n"web-2";"Root";"";\n"db-1";"Root";"";\n',
  // The titles of the columns: https://github.com/netbox-community/netbox/pull/6579; the dash of NetBox 3.1:
  // https://github.com/netbox-community/netbox/issues/8391.
  'NetBox, current view':
    'Name,Status,Tenant\r\nweb-1,Active,\r\nweb-2,Active,—\r\ndb-1,Active,—\r\n',
  // The names of the fields, or with sysparm_export_column_header_label their labels (release Australia, 2026-03-12):
  // https://www.servicenow.com/docs/r/platform-administration/table-administration-and-data-management/default-values-headers-values.html.
  'ServiceNow, cmdb_ci_server_list.do?CSV':
    'name,sys_class_name\nweb-1,Server\nweb-2,Server\ndb-1,\n',
  // Google Cloud CLI 528.0.0, run against an API on loopback: gcloud compute instances list --format="csv(…)".
  'gcloud, csv(name,zone,tags.items,labels)':
    'name,zone,items,labels\nweb-1,europe-west1-b,http;https,\nweb-2,europe-west1-b,,rack=7;team=a\ndb-1,europe-west1-c,,\n',
};

const entriesWith = (field: string) => names.map((name) => ({[field]: name, version: 1}));

/** Documents of JSON, where their lists are, and what their entries call a name. */
const documents: Readonly<
  Record<string, readonly [document: unknown, list: string, field: string]>
> = {
  // AWS CLI 1.45.11, run against an API on loopback.
  'aws iot list-things': [{things: entriesWith('thingName')}, 'things', 'thingName'],
  // https://github.com/Nuke1234/openhack-essen, challenge1/provision_hub.sh, reads `.[] | .deviceId` of it.
  'az iot hub device-identity list': [entriesWith('deviceId'), '', 'deviceId'],
  // https://www.servicenow.com/docs/r/australia/api-reference/web-services/c_DataRetrievalAPI.html.
  'ServiceNow, JSON': [{records: entriesWith('name')}, 'records', 'name'],
  // https://github.com/netboxlabs/netbox-mcp-server/pull/47.
  'NetBox, GET /api/dcim/devices/': [
    {count: 3, next: null, previous: null, results: entriesWith('name')},
    'results',
    'name',
  ],
};

/** What is not a list, and the remedy of the refusal. */
const refused: Readonly<Record<string, readonly [Buffer | string, remedy: string]>> = {
  // The code page of the system: https://learn.microsoft.com/en-us/dotnet/api/microsoft.office.tools.excel.workbook.saveas.
  'Excel, CSV in Windows-1252': [
    Buffer.from('name;Ort\r\nweb-1;Köln\r\n', 'latin1'),
    'iconv -f WIN',
  ],
  // http://www.herongyang.com/Unicode/Excel-Save-File-in-Unicode-Text-txt.html.
  'Excel, Unicode Text': [Buffer.from('\ufeffname\track\r\nweb-1\t7\r\n', 'utf16le'), '-f UTF-16'],
  // LibreOffice 7.4.7.2, run: soffice --convert-to csv writes Windows-1252.
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
    'NAME   ZONE            MACHINE_TYPE  PREEMPTIBLE  INTERNAL_IP  EXTERNAL_IP  STATUS\nweb-1  europe-west1-b  e2-medium                  10.132.0.2   203.0.113.2  RUNNING\n',
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
    'as an inventory': async (path: string) => (await readInventory(path)).map((one) => one.name),
    'as machines to enroll': async (path: string) =>
      (await readMachineList(path)).map((one) => one.name),
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
      // Ansible 2.14.18, run.
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
