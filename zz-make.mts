// makes a store folder of N connectors quickly via snapshot writer
import {writeSnapshot} from './src/store/json-file/snapshot.ts';
import {nodeFiles} from './src/store/json-file/files.ts';
import {openJsonFileStore} from './src/store/json-file/open.ts';
import {hashSecret} from './src/domain/secret.ts';
const [,, folder, n, tokens] = process.argv; const N=Number(n);
const l=()=>{};const log={debug:l,info:l,warn:console.log,error:l};
const s=await openJsonFileStore(folder,{log,now:Date.now});await s.close();
function* recs(){const t=Date.now()-1e6;for(let i=0;i<N;i++){const id='con_01K'+String(i).padStart(23,'0');
 if(tokens) yield {type:'token' as const,hash:hashSecret('t'+i),organization:'default',description:null,createdAt:t,expiresAt:t+900000,redemption:{at:t+1,connectorId:id,idempotencyHash:hashSecret('i'+i)},order:i+1};
 yield {type:'connector' as const,id,organization:'default',name:'connector-'+i,keyHash:hashSecret('k'+i),activatedAt:t+i%1000,lastHeartbeatAt:t+i%1000}}}
console.log(await writeSnapshot(nodeFiles,folder,{segment:1,chain:0},recs(),new AbortController().signal));
